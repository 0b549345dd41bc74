import { Check, ChevronDown, type LucideIcon, Minus, Search, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Checkbox as HeadlessCheckbox } from 'react-aria-components/Checkbox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField as HeadlessSearch } from 'react-aria-components/SearchField';
import { Select as HeadlessSelect, SelectValue } from 'react-aria-components/Select';
import { Switch as HeadlessSwitch } from 'react-aria-components/Switch';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as HeadlessText, type TextFieldProps as HeadlessTextProps } from 'react-aria-components/TextField';

interface Labelled {
  readonly label: string;
  /** One sentence below the label. */
  readonly hint?: string;
  /** Why the value was refused. It marks the control, and screen readers announce it. */
  readonly fault?: string | undefined;
}

interface TextFieldProps extends Labelled, Omit<HeadlessTextProps, 'children' | 'className' | 'style' | 'isInvalid'> {
  readonly placeholder?: string;
  /** Several lines; it grows with its text. @default false */
  readonly multiline?: boolean;
}

/**
 * Marks a refused field. One that is marked as valid would not show the faults of its own checks, such as a required value;
 * one whose fault the browser knew could not be sent again.
 */
export const invalidBy = (fault: string | undefined) =>
  fault === undefined ? {} : { isInvalid: true, validationBehavior: 'aria' as const };

/** A text input with its label. */
export function TextField({ label, hint, fault, placeholder = '', multiline = false, ...rest }: TextFieldProps) {
  return (
    <HeadlessText {...rest} {...invalidBy(fault)} className="field">
      <Label className="label">{label}</Label>
      <Hint>{hint}</Hint>
      {multiline ? <TextArea className="grows" placeholder={placeholder} /> : <Input placeholder={placeholder} />}
      <FieldError className="fault">{fault}</FieldError>
    </HeadlessText>
  );
}

const Hint = ({ children }: { readonly children: string | undefined }) =>
  children === undefined ? null : (
    <Text slot="description" className="hint">
      {children}
    </Text>
  );

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}

/** A search input without a visible label. Escape empties it. */
export function SearchField({ label, value, onChange, placeholder }: SearchFieldProps) {
  return (
    <HeadlessSearch aria-label={label} value={value} onChange={onChange}>
      <div className="with-icon">
        <Search className="icon" aria-hidden="true" />
        <Input placeholder={placeholder ?? label} />
        <Button className="button plain only-icon slim">
          <X className="icon" aria-hidden="true" />
        </Button>
      </div>
    </HeadlessSearch>
  );
}

export interface Option {
  readonly id: string;
  readonly name: string;
  readonly icon?: LucideIcon;
}

interface SelectProps extends Labelled {
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
}

/** A choice of one. Typing the beginning of a name selects it. */
export function Select(props: SelectProps) {
  const { label, hint, fault, options, value, onChange, placeholder, isDisabled, autoFocus } = props;
  return (
    <HeadlessSelect
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
      isDisabled={isDisabled ?? false}
      autoFocus={autoFocus ?? false}
      {...invalidBy(fault)}
      placeholder={placeholder ?? 'Choose…'}
    >
      <Label className="label">{label}</Label>
      <Hint>{hint}</Hint>
      <Button className="select-button">
        <SelectValue className="select-value" />
        <ChevronDown className="icon" aria-hidden="true" />
      </Button>
      <FieldError className="fault">{fault}</FieldError>
      <Popover className="popover">
        <ListBox className="menu" items={options}>
          {({ id, name, icon: Icon }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
              <span className="menu-name">{name}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </HeadlessSelect>
  );
}

interface ChoiceProps {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Something that a form sends with its other values. */
export function Checkbox({
  isIndeterminate = false,
  children,
  ...rest
}: ChoiceProps & { readonly isIndeterminate?: boolean }) {
  return (
    <HeadlessCheckbox {...rest} isIndeterminate={isIndeterminate} className="choice">
      {({ isSelected }) => (
        <>
          <span className="box">
            {isIndeterminate ? (
              <Minus className="icon" aria-hidden="true" />
            ) : (
              isSelected && <Check className="icon" aria-hidden="true" />
            )}
          </span>
          <span>{children}</span>
        </>
      )}
    </HeadlessCheckbox>
  );
}

/** A setting that takes effect at once. */
export function Switch({ children, ...rest }: ChoiceProps) {
  return (
    <HeadlessSwitch {...rest} className="choice">
      <span className="track" />
      <span>{children}</span>
    </HeadlessSwitch>
  );
}
