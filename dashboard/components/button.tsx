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
  /** Whether the button does nothing until other work of the page ends. It keeps the keyboard focus. */
  readonly isBlocked?: boolean;
  readonly isWide?: boolean;
  readonly isSmall?: boolean;
}

export function Button(props: ButtonProps) {
  const { children, kind = 'secondary', type = 'button', icon, onClick } = props;
  const { isBusy = false, isBlocked = false } = props;
  const isOff = isBusy || isBlocked;
  return (
    <button
      type={type}
      class={buttonClass(props, kind)}
      aria-disabled={isOff}
      onClick={(event) => {
        if (isOff) {
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

function buttonClass(props: ButtonProps, kind: ButtonKind): string {
  const { isWide = false, isSmall = false, isBlocked = false } = props;
  return [
    ...['button', `button-${kind}`],
    ...(isWide ? ['button-wide'] : []),
    ...(isSmall ? ['button-small'] : []),
    ...(isBlocked ? ['button-blocked'] : []),
  ].join(' ');
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
