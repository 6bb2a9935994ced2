import { CodeBlock } from '../components/codeBlock.js';

/** An example receiver as a starting point for a developer. */
export function ReceiverHint({ secret }: { readonly secret: string }) {
  return (
    <details class="hint">
      <summary>Example receiver</summary>
      <p>
        This receiver verifies each request with the package <code>standardwebhooks</code> and prints the
        event. Save the example as <code>receiver.mjs</code>, then run{' '}
        <code>npm install standardwebhooks</code> and <code>node receiver.mjs</code>.
      </p>
      <CodeBlock what="receiver" text={receiverText(secret)} />
    </details>
  );
}

function receiverText(secret: string): string {
  return `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook('${secret}');

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  try {
    const event = webhook.verify(body, request.headers);
    console.log(event.type, event.id, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(4000);
`;
}
