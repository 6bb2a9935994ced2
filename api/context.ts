import type Koa from 'koa';

import type { JsonObjectText } from '../shared/domain/jsonText.js';
import type { Requirement } from './access.js';
import type { Caller } from './caller.js';

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
