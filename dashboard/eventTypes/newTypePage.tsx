import { useLocation } from 'preact-iso/router';

import { useAction } from '../api/useAction.js';
import { PageFrame } from '../components/pageFrame.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { TypeForm } from './typeForm.js';
import { putType, type TypeFields } from './typeResource.js';

const empty: TypeFields = {
  description: '',
  schemaText: '{\n  "type": "object",\n  "properties": {}\n}',
  examplesText: '[]',
  validation: 'off',
  deprecated: false,
};

export function NewTypePage() {
  const api = useApi();
  const address = useAddress();
  const { route } = useLocation();
  const create = useAction(async ({ name, fields }: { name: string; fields: TypeFields }) => {
    await putType(api, name, fields);
    route(address(`/event-types/${name}`));
  });
  return (
    <PageFrame
      title="Add event type"
      back={{ href: address('/event-types'), text: 'Event types' }}
      lede="A new event type changes nothing for posted events. On its page, you can then check stored events."
    >
      <div class="card card-text narrow">
        <TypeForm
          initial={empty}
          name=""
          deed="Add event type"
          isRunning={create.isRunning}
          failure={create.failure}
          onSubmit={(name, fields) => {
            create.run({ name, fields });
          }}
        />
      </div>
    </PageFrame>
  );
}
