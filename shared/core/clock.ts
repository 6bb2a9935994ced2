/** The current time. Functions take it as an argument, so that tests can set it. */
export type Clock = () => Date;
