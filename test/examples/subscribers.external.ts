import { testSubscriber } from './subscribing.js';

/** The subscribers that need more than npm installs. `.ci/verify` has installed it. */
testSubscriber('examples/subscribers/java', {
  program: 'java',
  arguments: [
    '-cp',
    'examples/subscribers/java/target/classes:examples/subscribers/java/target/libraries/*',
    'postrider.Subscriber',
  ],
});

testSubscriber('examples/subscribers/python', {
  program: 'node_modules/.cache/subscribers/bin/python',
  arguments: ['examples/subscribers/python/subscriber.py'],
});
