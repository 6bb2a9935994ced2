import process from 'node:process';

import { testSubscriber } from './subscribing.js';

testSubscriber('examples/subscribers/typescript', {
  program: process.execPath,
  arguments: ['--import', 'tsx', 'examples/subscribers/typescript/subscriber.ts'],
});
