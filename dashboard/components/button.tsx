import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.js';

export type ButtonKind = 'primary' | 'secondary' | 'danger' | 'quiet';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: ButtonKind;
  readonly type?: 'button' | 'submit';
  readonly icon?: IconNode;
  readonly onClick?: () => void;
  /** Whether the button is busy. A busy button keeps the keyboard focus, and screen readers announce the state. */
  readonly isBusy?: boolean;
  readonly isWide?: boolean;
  readonly isSmall?: boolean;
}

export function Button(props: ButtonProps) {
  const { children, kind = 'secondary', type = 'button', icon, onClick, isBusy = false } = props;
  return (
    <button
      type={type}
      class={buttonClass(props, kind)}
      aria-disabled={isBusy}
      onClick={(event) => {
        if (isBusy) {
          event.preventDefault();
          return;
        }
        onClick?.();
      }}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon of={icon} />}
      <span>{children}</span>
      {isBusy && <span class="hidden"> (working)</span>}
    </button>
  );
}

function buttonClass({ isWide = false, isSmall = false }: ButtonProps, kind: ButtonKind): string {
  return ['button', `button-${kind}`, isWide ? 'button-wide' : '', isSmall ? 'button-small' : '']
    .filter((name) => name !== '')
    .join(' ');
}

interface LinkButtonProps {
  readonly children: ComponentChildren;
  readonly href: string;
  readonly kind?: ButtonKind;
  readonly icon?: IconNode;
  readonly iconBehind?: IconNode;
  readonly isSmall?: boolean;
}

/** A link that looks like a button. */
export function LinkButton(props: LinkButtonProps) {
  const { children, href, kind = 'secondary', icon, iconBehind, isSmall = false } = props;
  return (
    <a class={`button button-${kind}${isSmall ? ' button-small' : ''}`} href={href}>
      {icon !== undefined && <Icon of={icon} />}
      <span>{children}</span>
      {iconBehind !== undefined && <Icon of={iconBehind} />}
    </a>
  );
}
