/* Linked to the rank itself: what only a program may have, a function that runs before the libraries' constructors. */
void faults_begin(int argc, char **argv, char **envp);

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = faults_begin;
