import { newTypePlace } from '../eventTypes/places.js';

/** The paths of all pages, with `:id` for the id of a resource, and `:innerId` for one within it. The first path that matches an address is used. */
export const pagePlaces = [
  '/',
  '/events',
  '/events/new',
  '/events/:id',
  '/events/:id/attempts/:innerId',
  '/attempts',
  '/webhooks',
  '/webhooks/new',
  '/webhooks/:id',
  '/webhooks/:id/recover',
  '/event-types',
  newTypePlace,
  '/event-types/:id',
  '/webhooks/:id/test',
  '/webhooks/:id/verify',
  '/webhooks/:id/preview',
  '/tenants',
  '/tenants/:id',
  '/portal',
  '/api-keys',
  '/users',
  '/audit-log',
  '/plan',
] as const;

export type PagePlace = (typeof pagePlaces)[number];
