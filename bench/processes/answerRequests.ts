import process from 'node:process';

import { z } from 'zod';

import { messageOf } from '../../shared/core/errors.js';

const messageSchema = z.object({ id: z.int(), request: z.unknown() });

/** The child's side of `ChildProcess`: reports that this process runs, answers its parent's requests, and ends with its parent. */
export function answerRequests(address: string, answer: (request: unknown) => Promise<unknown>): void {
  const respond = async (message: unknown) => {
    const { id, request } = messageSchema.parse(message);
    try {
      process.send?.({ id, reply: await answer(request) });
    } catch (error) {
      process.send?.({ id, error: messageOf(error) });
    }
  };
  process.on('message', (message) => void respond(message));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ type: 'running', address });
}
