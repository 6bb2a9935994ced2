import type { EventData } from '../generated/types.js';
import type { RawJson } from './rawJson.js';

/** The type of `data`, depending on the option `rawData`. */
export type DataAs<Raw extends boolean> = Raw extends true ? RawJson : EventData;
