/* What is written to standard error, message by message. */
#ifndef SP_TEST_MESSAGE_H
#define SP_TEST_MESSAGE_H

/* Standard error becomes packets, so that each write(2) is one; returns the reader. */
int message_listen(void);

/* The next one, as a static text; "": there is none. */
const char *message_next(int reader);

#endif
