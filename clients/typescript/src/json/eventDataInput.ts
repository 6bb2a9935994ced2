/** The `data` to send: an object of any type, such as one of an interface of yours, or a `RawJson`. */
export type EventDataInput = object;
