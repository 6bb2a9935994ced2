import type { paths } from '../../test/contract/generated/api.js';

/** Operations that the page is built for and that the API's description does not have yet. */
interface Content<Body> {
  content: { 'application/json': Body };
}

interface Page<Item> {
  data: Item[];
  hasMore: boolean;
}

interface Operation<Parameters, Body, Answer> {
  parameters: Parameters;
  requestBody?: Content<Body>;
  responses: { 200: Content<Answer>; default: Content<{ error: unknown }> };
}

interface Write<Body, Answer, Parameters = object> {
  parameters: Parameters;
  requestBody: Content<Body>;
  responses: { 200: Content<Answer>; default: Content<{ error: unknown }> };
}

export type Role = 'viewer' | 'developer' | 'owner';

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  role: Role;
}

export interface Session {
  user: SignedInUser;
  account: { id: string; name: string; plan: 'free' | 'pro' | 'enterprise' };
  csrfToken: string;
}

export interface Usage {
  requestsThisSecond: number;
  webhooks: number;
  apiKeys: number;
}

export interface Account {
  id: string;
  name: string;
  email: string;
  plan: 'free' | 'pro' | 'enterprise';
  status: string;
  created: string;
  limits: { requestsPerSecond: number; webhooks: number };
  usage: { live: Usage; test: Usage };
  session: { user: SignedInUser; csrfToken: string } | null;
}

export interface User {
  id: string;
  email: string;
  name: string;
  role: Role;
  status: 'invited' | 'active';
  created: string;
  lastSignInAt: string | null;
}

export interface Replay {
  id: string;
  webhookId: string;
  status: 'running' | 'completed' | 'canceled';
  filter: { since: string; until: string | null; types: string[] | null; only: 'failed' | 'missing' | 'all' };
  matched: number | null;
  done: number;
  failed: number;
  created: string;
  finishedAt: string | null;
}

interface ReplayBody {
  webhookId: string;
  since: string;
  until?: string;
  types?: string[];
  only: 'failed' | 'missing' | 'all';
  dryRun?: boolean;
}

interface OfId {
  path: { id: string };
}
interface Paged {
  query?: { limit?: number; startingAfter?: string; endingBefore?: string };
}

interface ComingPaths {
  '/v1/session': {
    post: Write<{ email: string; password: string }, Session>;
    delete: Operation<object, never, { deleted: true }>;
  };
  '/v1/session/link': { post: Write<{ token: string; password: string; name?: string }, Session> };
  '/v1/account': { get: Operation<object, never, Account> };
  '/v1/users': {
    get: Operation<Paged, never, Page<User>>;
    post: Write<{ email: string; role: Role; name?: string }, User & { signInUrl: string }>;
  };
  '/v1/users/{id}': {
    patch: Write<{ role?: Role; name?: string; newLink?: true }, User & { signInUrl?: string }, OfId>;
    delete: Operation<OfId, never, { id: string; deleted: true }>;
  };
  '/v1/replays': {
    get: Operation<Paged, never, Page<Replay>>;
    post: Write<ReplayBody, Replay | { matched: number }>;
  };
  '/v1/replays/{id}': { get: Operation<OfId, never, Replay> };
  '/v1/replays/{id}/cancel': { post: Operation<OfId, never, Replay> };
}

export type Paths = paths & ComingPaths;
