import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea as HeadlessArea } from 'react-aria-components/TextArea';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';
import { invalidBy } from './field.tsx';

interface TextAreaProps extends Omit<TextFieldProps, 'children' | 'className' | 'style' | 'isInvalid'> {
  readonly label: string;
  readonly hint?: string;
  /** Why the value was refused. */
  readonly fault?: string | undefined;
  readonly placeholder?: string;
  /** Lines that are seen at least. @default 3 */
  readonly rows?: number;
  /** For code and data. @default false */
  readonly mono?: boolean;
  /** Shows how many characters are used of this many. More can be typed: cutting a pasted text would lose its end. */
  readonly most?: number;
}

/** A text of several lines. It grows with its text. */
export function TextArea(props: TextAreaProps) {
  const { label, hint, fault, placeholder = '', rows = 3, mono = false, most, ...rest } = props;
  const used = props.value === undefined ? undefined : [...props.value].length;
  const tooLong = most !== undefined && used !== undefined && used > most;
  const shown = fault ?? (tooLong ? `At most ${most} characters.` : undefined);
  return (
    <TextField {...rest} {...invalidBy(shown)} className="field">
      <Label className="label">{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <HeadlessArea className={mono ? 'grows mono' : 'grows'} rows={rows} placeholder={placeholder} />
      {most !== undefined && used !== undefined && (
        <span className={tooLong ? 'field-count full' : 'field-count'}>
          {used} of {most}
        </span>
      )}
      <FieldError className="fault">{shown}</FieldError>
    </TextField>
  );
}
