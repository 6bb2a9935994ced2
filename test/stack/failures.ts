import { messageOf } from '../../shared/core/errors.js';

/** The message of the error with which a promise is rejected. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return messageOf(error);
  }
  throw new Error('It succeeded.');
}
