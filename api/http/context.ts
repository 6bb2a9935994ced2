import type Koa from 'koa';
import type { JsonObjectText } from '../../shared/domain/events/jsonText.js';
import type { Caller } from './caller.js';
import type { Scope } from '../../shared/domain/accounts/account.js';

/** A request body: its bytes as they came, and what was read from them. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly text: JsonObjectText;
}

/** What the steps of a request leave for those behind them. Null until that step was taken. */
export interface RequestState {
  requestId: string;
  /** The route that takes the request, as the table has it. */
  route: (Requirement & { readonly path: string }) | null;
  caller: Caller | null;
  body: JsonBody | null;
}

export type ApiContext = Koa.ParameterizedContext<RequestState>;

export type ApiMiddleware = Koa.Middleware<RequestState>;

/**
 * Who is let in where scopes do not say it: whoever may read anything, whoever has a session, an owner with one. Keys of API
 * clients never manage people.
 */
export type Audience = 'readers' | 'sessions' | 'sessions of owners';

/** What an operation asks of its callers. */
export interface Requirement {
  /** What a scoped key, or a role that is not the owner's, must have. Null where none is let in. */
  readonly scope: Scope | null;
  /** Takes the place of the scope. */
  readonly audience?: Audience;
}
