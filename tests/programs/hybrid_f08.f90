! The same as hybrid_mpi.f90 with "use mpi_f08" and MPI_Init_thread.
module placement
  use iso_c_binding, only: c_int
  interface
     subroutine placement_start(rank, size, max_threads) bind(c)
       import c_int
       integer(c_int), value :: rank, size, max_threads
     end subroutine placement_start
     subroutine placement_thread(region, number) bind(c)
       import c_int
       integer(c_int), value :: region, number
     end subroutine placement_thread
     subroutine placement_end() bind(c)
     end subroutine placement_end
  end interface
end module placement

program hybrid
  use mpi_f08
  use omp_lib
  use placement
  implicit none
  integer, parameter :: int64 = selected_int_kind(18)
  integer :: rank, size, provided, error, i
  integer(int64) :: total
  integer(int64), allocatable :: sums(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call placement_start(rank, size, omp_get_max_threads())

  total = work(0) + work(1)
  call placement_end()

  allocate(sums(size))
  call MPI_Gather(total, 1, MPI_INTEGER8, sums, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, error)
  if (rank == 0) then
     do i = 1, size
        print '(a,i0,a,i0,a,i0)', 'rank ', i - 1, ' of ', size, ': ', sums(i)
     end do
  end if
  call MPI_Finalize(error)

contains

  integer(int64) function work(region)
    integer, intent(in) :: region
    integer(int64) :: k, total_of_all

    total_of_all = 0
    !$omp parallel reduction(+:total_of_all)
    !$omp do
    do k = 0, 99999
       total_of_all = total_of_all + mod(k * (rank + 1) + region, 1009_int64)
    end do
    !$omp end do
    call placement_thread(region, omp_get_thread_num())
    !$omp end parallel
    work = total_of_all
  end function work
end program hybrid
