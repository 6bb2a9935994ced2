/** The present time. An argument everywhere, so that what depends on time can be tested at any time. */
export type Clock = () => Date;
