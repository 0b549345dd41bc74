import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as HeadlessButton, type ButtonProps as HeadlessProps } from 'react-aria-components/Button';

/** How much a button asks for attention. A page has one `primary` button at most. */
export type Variant = 'primary' | 'secondary' | 'quiet' | 'danger';

const variants: Readonly<Record<Variant, string>> = {
  primary: 'main',
  secondary: '',
  quiet: 'plain',
  danger: 'danger',
};

export interface ButtonProps extends Omit<HeadlessProps, 'children' | 'className' | 'style'> {
  /** @default 'secondary' */
  readonly variant?: Variant;
  /** For tables and toolbars. @default false */
  readonly small?: boolean;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/**
 * A button. While `isPending`, it keeps its focus and its width, ignores presses and says that it works: a click that is
 * repeated ten times is one.
 */
export function Button({ variant = 'secondary', small = false, icon: Icon, children, ...rest }: ButtonProps) {
  return (
    <HeadlessButton {...rest} className={`button ${variants[variant]}${small ? ' slim' : ''}`}>
      {({ isPending }) => (
        <>
          {isPending ? <Spinner /> : Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
          {children}
        </>
      )}
    </HeadlessButton>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'variant' | 'aria-label'> {
  readonly icon: LucideIcon;
  /** What it does, for screen readers. Wrap it in a `Tooltip` for everybody else. */
  readonly label: string;
}

/** A button with an icon alone. */
export function IconButton({ icon: Icon, label, small = false, ...rest }: IconButtonProps) {
  return (
    <HeadlessButton {...rest} aria-label={label} className={`button plain only-icon${small ? ' slim' : ''}`}>
      {({ isPending }) => (isPending ? <Spinner /> : <Icon className="icon" aria-hidden="true" />)}
    </HeadlessButton>
  );
}

const Spinner = () => <span className="spinner" role="img" aria-label="Working" />;
