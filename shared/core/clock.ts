/**
 * A function that returns the current time. Functions take the clock as an argument, so that tests can set the time.
 */
export type Clock = () => Date;
