// Receives webhooks and prints the events that they carry:
//
//   node examples/receiver.mjs whsec_…          listens on http://127.0.0.1:4000/
//   node examples/receiver.mjs whsec_… 4001     the same on another port
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const [, , secret = process.env.WEBHOOK_SECRET ?? '', port = '4000'] = process.argv;

function exit(reason) {
  console.error(reason);
  process.exit(1);
}

if (!/^whsec_(?:[\w+/=]{4})+$/.test(secret)) {
  exit(
    'Usage: node examples/receiver.mjs whsec_… [port]\nThe secret is in the answer that created the webhook.',
  );
}
const webhook = new Webhook(secret);

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray());
    const event = webhook.verify(body, request.headers);
    console.log(event.type, event.id, event.data);
    // Any 2xx confirms the delivery. After any other status the event is sent again later.
    response.writeHead(204).end();
  } catch (error) {
    console.error('Rejected a request:', error.message);
    response.writeHead(400).end();
  }
});

server.on('error', (error) =>
  exit(`Cannot listen on port ${port} (${error.code}). Pass another port after the secret.`),
);
server.listen({ host: '127.0.0.1', port }, () =>
  console.log(`Waiting for events on http://127.0.0.1:${port}/`),
);
