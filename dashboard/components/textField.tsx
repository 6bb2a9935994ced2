import type { ComponentChildren, PartialInputHTMLAttributes } from 'preact';

import { Field } from './field.js';

type TextType = 'text' | 'email' | 'password' | 'url' | 'datetime-local';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: TextType;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly isOptional?: boolean;
  readonly isCode?: boolean;
}

export function TextField(props: TextFieldProps) {
  const {
    label,
    hint,
    error = null,
    isOptional = false,
    isCode = false,
    onInput,
    type = 'text',
    ...input
  } = props;
  return (
    <Field label={label} error={error} isOptional={isOptional} {...(hint === undefined ? {} : { hint })}>
      {({ id, describedBy, isInvalid }) => (
        <Input
          {...input}
          type={type}
          id={id}
          class={isCode ? 'code' : ''}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          spellcheck={!isCode}
          onInput={(event) => {
            onInput(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

type InputProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, 'type' | 'role'> & {
  readonly type: TextType;
};

/**
 * An `input` element of one type. The component has one element per type, because the allowed attributes of an `input`
 * depend on its type.
 */
function Input({ type, ...attributes }: InputProps) {
  switch (type) {
    case 'text':
      return <input type="text" {...attributes} />;
    case 'url':
      return <input type="url" {...attributes} />;
    case 'email':
      return <input type="email" {...attributes} />;
    case 'password':
      return <input type="password" {...attributes} />;
    case 'datetime-local':
      return <input type="datetime-local" {...attributes} />;
  }
}
