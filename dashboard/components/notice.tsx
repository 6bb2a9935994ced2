import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.js';

const icons = { good: CircleCheck, info: Info, warn: TriangleAlert, bad: CircleAlert } as const;

interface NoticeProps {
  readonly kind: keyof typeof icons;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** A highlighted notice on a page. Screen readers announce an error immediately. */
export function Notice({ kind, children, actions }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'bad' ? 'alert' : 'note'}>
      <Icon of={icons[kind]} size={18} />
      <div class="notice-text">{children}</div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
    </div>
  );
}
