"""The sum of a part of a board: sp_board_sum of lib/board/file.c."""

BEGIN, PRIME, LANES, AT_A_TIME = 0xCBF29CE484222325, 0x100000001B3, 4, 16


def with_word(total, word):
    return (total ^ word) * PRIME % 2**64


def board_sum(data):
    """Of bytes; the last word is padded with zeros."""
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]
    in_lanes = len(data) // 8 // AT_A_TIME * AT_A_TIME
    lanes = [BEGIN] * LANES
    for number, word in enumerate(words):
        lane = number % LANES if number < in_lanes else 0
        lanes[lane] = with_word(lanes[lane], word)
    if len(data) % (8 * AT_A_TIME) == 0:
        lanes[0] = with_word(lanes[0], 0)
    for lane in lanes[1:]:
        lanes[0] = with_word(lanes[0], lane)
    return lanes[0]
