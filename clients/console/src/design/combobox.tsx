import { ChevronDown } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { ComboBox as HeadlessComboBox } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import type { Option } from './field.tsx';
import { invalidBy } from './field.tsx';

interface ComboBoxProps {
  readonly label: string;
  readonly hint?: string;
  /** Why the value was refused. */
  readonly fault?: string | undefined;
  readonly options: readonly Option[];
  /** The id of the chosen option; with `takesAny`, the text. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  /** The form is not sent without a value, and the field says so. @default false */
  readonly isRequired?: boolean;
  /** Takes a text that no option has. @default false */
  readonly takesAny?: boolean;
}

/** A choice of one among many: typing any part of a name narrows the options. */
export function ComboBox(props: ComboBoxProps) {
  const { label, hint, fault, options, value, onChange, placeholder } = props;
  const { isDisabled = false, isRequired = false, takesAny = false } = props;
  const own = takesAny
    ? { inputValue: value ?? '', onInputChange: onChange, allowsCustomValue: true }
    : { value, onChange: (key: string | number | null) => onChange(key === null ? null : String(key)) };
  return (
    <HeadlessComboBox
      {...own}
      className="field"
      defaultItems={options}
      // The first empty field gets the focus when a form is refused: a list that opens then would cover what the field says.
      menuTrigger={isRequired ? 'input' : 'focus'}
      isDisabled={isDisabled}
      isRequired={isRequired}
      {...invalidBy(fault)}
      allowsEmptyCollection={!takesAny}
    >
      <Label className="label">{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <div className="combo-box">
        <Input placeholder={placeholder ?? ''} />
        <Button className="button plain only-icon slim">
          <ChevronDown className="icon" aria-hidden="true" />
        </Button>
      </div>
      <FieldError className="fault">{fault}</FieldError>
      <Popover className="popover">
        <ListBox className="menu" renderEmptyState={() => <p className="menu-empty">No match</p>}>
          {({ id, name, icon: Icon }: Option) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
              <span className="menu-name">{name}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </HeadlessComboBox>
  );
}
