import { randomBytes } from 'node:crypto';

import { secretBytes } from '../../../shared/domain/webhooks/signature.js';
import { CommandFailure } from '../../terminal/output.js';
import type { UserFolder } from './userFolder.js';

const secretFile = 'listen-secret';

/**
 * The secret that signs the requests of `listen`: the same in all runs, so that a receiver is configured once.
 * @throws CommandFailure if the stored secret is damaged
 */
export function signingSecret(folder: UserFolder): string {
  const secret = folder.readOrCreate(secretFile, `whsec_${randomBytes(32).toString('base64')}\n`).trim();
  try {
    secretBytes(secret);
    return secret;
  } catch {
    throw new CommandFailure(`${folder.path}/${secretFile} is damaged. Delete it to get another secret.`);
  }
}
