import type { EventData } from '../generated/types.js';
import type { RawJson } from './rawJson.js';

/** The `data` to send: an object of any type, such as one of an interface of yours, or a `RawJson`. */
export type EventDataInput = object;

/** The type of `data`, depending on the option `rawData`. */
export type DataAs<Raw extends boolean> = Raw extends true ? RawJson : EventData;
