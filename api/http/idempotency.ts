import type { IncomingMessage } from 'node:http';

import type { RequestIdentity } from '../../shared/domain/core/requestIdentity.js';
import type { Caller } from './context.js';
import type { HandlerResult, HttpResponse, StoredResponse } from './response.js';

/** Runs a handler once for all requests with one idempotency key. */
export type RunOnce = (
  owner: KeyOwner,
  handle: RunHandler,
  restore?: RestoreResponse,
) => Promise<HandlerResult>;

/**
 * The handler of a valid request. The identity supplies the ids, the time and the secret of everything that the handler
 * creates.
 */
export type RunHandler = (identity: RequestIdentity) => Promise<HandlerResult>;

/** Completes a stored response from the repeated request, if the response was stored with `storedContent`. */
export type RestoreResponse = (stored: StoredResponse) => HttpResponse;

/** A request whose idempotency key has not been read yet. */
export interface IdempotentRequest {
  readonly route: { readonly method: string; readonly path: string };
  /** The `{id}` in the path of the request. */
  readonly id: string;
  readonly message: Pick<IncomingMessage, 'headers' | 'headersDistinct'>;
  /** The parts of the request in which repeated requests must not differ. */
  readonly content: readonly (string | Buffer)[];
}

/** The account, mode and tenant that own an idempotency key. */
export type KeyOwner = Pick<Caller, 'accountId' | 'mode' | 'tenant'>;

export interface Idempotency {
  /** Runs a handler once for all requests with one idempotency key. */
  readonly run: (request: IdempotentRequest, ...handler: Parameters<RunOnce>) => Promise<HandlerResult>;
}
