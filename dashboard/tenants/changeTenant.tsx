import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Tenant } from '../api/types.js';
import { failureOfAnswer } from '../api/failure.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Dialog } from '../components/dialog.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { fieldsOf, inputOf, type TenantFields } from './tenantFields.js';
import { TenantForm } from './tenantForm.js';

interface Submitted {
  readonly id: string;
  readonly fields: TenantFields;
}

const [missing, conflict] = [404, 409];

/** A dialog that creates a tenant, and then opens its page. */
export function NewTenant({ onClose }: { readonly onClose: () => void }) {
  const api = useApi();
  const address = useAddress();
  const { route } = useLocation();
  const create = useAction(async ({ id, fields }: Submitted) => {
    const path = { id };
    const { response, error } = await api.GET('/v1/tenants/{id}', { params: { path } });
    // A PUT changes an existing tenant, which the user of this dialog does not want.
    if (response.ok) {
      throw failureOfAnswer(conflict, { error: { code: 'tenant_exists', message: existsText(id) } });
    }
    if (response.status !== missing) {
      throw failureOfAnswer(response.status, error);
    }
    await answerOf(api.PUT('/v1/tenants/{id}', { params: { path }, body: inputOf(fields) }));
    onClose();
    route(address(`/tenants/${id}`));
  });
  return (
    <Dialog title="Add tenant" onClose={onClose}>
      <TenantForm
        initial={fieldsOf(null)}
        isNew
        deed="Add tenant"
        isRunning={create.isRunning}
        failure={create.failure}
        onSubmit={(id, fields) => {
          create.run({ id, fields });
        }}
      />
    </Dialog>
  );
}

function existsText(id: string): string {
  return `The tenant ${id} exists already. Enter another id, or edit the existing tenant on its page.`;
}

interface EditTenantProps {
  readonly tenant: Tenant;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A dialog that changes the name and the metadata of a tenant. */
export function EditTenant({ tenant, onChanged, onClose }: EditTenantProps) {
  const api = useApi();
  const announce = useAnnounce();
  const save = useAction(async ({ fields }: Submitted) => {
    const path = { id: tenant.id };
    await answerOf(api.PUT('/v1/tenants/{id}', { params: { path }, body: inputOf(fields) }));
    announce('The tenant was changed.');
    onChanged();
    onClose();
  });
  return (
    <Dialog title="Edit tenant" onClose={onClose}>
      <TenantForm
        initial={fieldsOf(tenant)}
        isNew={false}
        deed="Save tenant"
        isRunning={save.isRunning}
        failure={save.failure}
        onSubmit={(id, fields) => {
          save.run({ id, fields });
        }}
      />
    </Dialog>
  );
}
