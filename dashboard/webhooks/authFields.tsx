import { SelectField } from '../components/selectField.js';
import { TextArea } from '../components/textArea.js';
import { TextField } from '../components/textField.js';
import { wordsOfTypes, type AuthFaults, type AuthField, type AuthTexts } from './authRules.js';

interface AuthFieldsProps {
  readonly texts: AuthTexts;
  readonly errors: AuthFaults;
  readonly onChange: (texts: AuthTexts) => void;
}

const types = ['none', 'basic', 'bearer', 'oauth2_client_credentials', 'mtls'] as const;

/** The fields for the authentication at a webhook. Credentials that the service has are never shown. */
export function AuthFields({ texts, errors, onChange }: AuthFieldsProps) {
  const isStored = texts.type === texts.stored?.type;
  return (
    <>
      <SelectField
        label="Authentication"
        value={texts.type}
        options={types.map((type) => [type, wordsOfTypes[type]] as const)}
        onChange={(type) => onChange({ ...texts, type })}
        hint={
          isStored
            ? 'Credentials are never shown again. They stay as they are unless you change a field.'
            : 'Each request is signed. Choose what the receiver requires in addition.'
        }
        error={errors.auth}
      />
      <FieldsOfType texts={texts} errors={errors} onChange={onChange} />
    </>
  );
}

function FieldsOfType({ texts, errors, onChange }: AuthFieldsProps) {
  const unchanged = texts.type === texts.stored?.type ? { placeholder: 'unchanged' } : {};
  const of = (name: AuthField) => ({
    value: texts[name],
    error: errors[`auth.${name}`],
    onInput: (text: string) => onChange({ ...texts, [name]: text }),
  });
  const hidden = (name: AuthField) => ({
    ...of(name),
    ...unchanged,
    type: 'password' as const,
    autoComplete: 'new-password',
  });
  switch (texts.type) {
    case 'none':
      return null;
    case 'basic':
      return (
        <>
          <TextField label="User name" {...of('username')} {...unchanged} autoComplete="off" isCode />
          <TextField label="Password" {...hidden('password')} />
        </>
      );
    case 'bearer':
      return <TextField label="Token" {...hidden('token')} />;
    case 'oauth2_client_credentials':
      return (
        <>
          <TextField
            label="Token URL"
            {...of('tokenUrl')}
            type="url"
            placeholder="https://login.example.com/oauth/token"
            isCode
          />
          <TextField label="Client ID" {...of('clientId')} autoComplete="off" isCode />
          <TextField label="Client secret" {...hidden('clientSecret')} />
          <TextField label="Scope" {...of('scope')} isOptional isCode />
          <TextField label="Audience" {...of('audience')} isOptional isCode />
          <SelectField
            label="Client authentication"
            value={texts.clientAuthentication}
            options={[
              ['basic', 'In the header (Basic)'],
              ['body', 'In the body'],
            ]}
            onChange={(clientAuthentication) => onChange({ ...texts, clientAuthentication })}
          />
        </>
      );
    case 'mtls':
      return (
        <>
          <TextArea
            label="Certificate"
            rows={4}
            placeholder="-----BEGIN CERTIFICATE-----"
            {...of('certificate')}
            {...unchanged}
            hint="The certificate of the client as PEM text, followed by those of intermediate authorities."
          />
          <TextArea
            label="Private key"
            rows={4}
            placeholder="-----BEGIN PRIVATE KEY-----"
            {...of('privateKey')}
            {...unchanged}
            hint="The private key of the certificate as PEM text, not encrypted."
          />
        </>
      );
  }
}
