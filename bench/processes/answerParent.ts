import process from 'node:process';

import { z } from 'zod';

import { messageOf } from '../../shared/core/errors.js';

const questionSchema = z.object({ id: z.int(), question: z.unknown() });

/** In a process of the benchmark: says that it runs, answers what its parent asks, and ends with it. */
export function answerParent(address: string, answer: (question: unknown) => Promise<unknown>): void {
  const respond = async (message: unknown) => {
    const { id, question } = questionSchema.parse(message);
    try {
      process.send?.({ id, reply: await answer(question) });
    } catch (error) {
      process.send?.({ id, error: messageOf(error) });
    }
  };
  process.on('message', (message) => void respond(message));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ type: 'running', address });
}
