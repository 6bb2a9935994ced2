import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

import { createLanes } from './lanes.js';
import type { StartBareRole } from './role.js';

/** Records what is posted and answers with its id. */
export const startApi: StartBareRole = async ({ config, kafka, topics }) => {
  const append = await createLanes(kafka, topics.events);
  const router = new Router();
  router.post('/v1/events', bodyParser({ enableTypes: ['json'] }), async (context) => {
    const id = randomUUID();
    const partition = Number.parseInt(id.slice(0, 8), 16) % config.topics.partitions;
    await append(partition, id, JSON.stringify({ id, body: context.request.body }));
    context.status = 201;
    context.body = { id };
  });
  const server = new Koa().use(router.routes()).listen(config.http.port, config.http.host);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://${config.http.host}:${port}`;
};
