import type { ReactElement } from 'react';
import { Tooltip as HeadlessTooltip, TooltipTrigger } from 'react-aria-components/Tooltip';

interface TooltipProps {
  readonly text: string;
  /** A button. */
  readonly children: ReactElement;
}

/** Words for a control that has none. They show on hover and on focus; screen readers read them, too. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <TooltipTrigger delay={400}>
      {children}
      <HeadlessTooltip className="tooltip" offset={6}>
        {text}
      </HeadlessTooltip>
    </TooltipTrigger>
  );
}
