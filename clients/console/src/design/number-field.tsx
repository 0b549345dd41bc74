import { Minus, Plus } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import {
  NumberField as HeadlessNumber,
  type NumberFieldProps as HeadlessProps,
} from 'react-aria-components/NumberField';
import { Text } from 'react-aria-components/Text';
import { invalidBy } from './field.tsx';

interface NumberFieldProps extends Omit<HeadlessProps, 'children' | 'className' | 'style' | 'isInvalid'> {
  readonly label: string;
  /** For example the unit. */
  readonly hint?: string;
  /** Why the value was refused. */
  readonly fault?: string | undefined;
}

/** A number. Arrow keys and the buttons change it by a step. Not for values that a `number` would round: use `TextField`. */
export function NumberField({ label, hint, fault, ...rest }: NumberFieldProps) {
  return (
    <HeadlessNumber {...rest} {...invalidBy(fault)} className="field">
      <Label className="label">{label}</Label>
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <Group className="number-box">
        <Input />
        <Button slot="decrement">
          <Minus className="icon" aria-hidden="true" />
        </Button>
        <Button slot="increment">
          <Plus className="icon" aria-hidden="true" />
        </Button>
      </Group>
      <FieldError className="fault">{fault}</FieldError>
    </HeadlessNumber>
  );
}
