import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import { invalidBy } from './field.tsx';

interface DateFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Why the value was refused. */
  readonly fault?: string | undefined;
  /** Whether the field holds a time of the day, too. @default 'day' */
  readonly precision?: 'day' | 'minute' | 'second';
  readonly name?: string;
  /** `2026-11-25`, or `2026-11-25T22:45` in the time zone of the browser; empty when nothing is chosen. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
}

/** A date with the picker of the browser, which every phone and screen reader knows. */
export function DateField({ label, hint, fault, precision = 'day', ...rest }: DateFieldProps) {
  return (
    <TextField {...rest} type={precision === 'day' ? 'date' : 'datetime-local'} {...invalidBy(fault)} className="field">
      <Label className="label">{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <Input step={precision === 'second' ? 1 : undefined} />
      <FieldError className="fault">{fault}</FieldError>
    </TextField>
  );
}
