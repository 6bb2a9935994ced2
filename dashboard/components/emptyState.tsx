import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.js';

interface EmptyStateProps {
  readonly icon: IconNode;
  readonly title: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The content of an empty list: the reason why the list is empty, and how to create an entry. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon of={icon} size={22} />
      </span>
      <h2>{title}</h2>
      <div class="empty-text">{children}</div>
      {actions !== undefined && <div class="empty-actions">{actions}</div>}
    </div>
  );
}
