import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { policies } from './manifest-draft.ts';

/** The value for a table that is not exposed. */
export const notExposed = 'none';

const choices = [
  { id: notExposed, name: 'Not exposed', about: 'Requests cannot reach it. The service key can.' },
  ...policies,
];

interface PolicyChoiceProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The policies of a table as plain choices. */
export function PolicyChoice({ value, onChange }: PolicyChoiceProps) {
  return (
    <RadioGroup className="policy-choice" value={value} onChange={onChange}>
      <Label className="label">Who reaches it</Label>
      {choices.map(({ id, name, about }) => (
        <Radio key={id} value={id} className="policy">
          <span className="policy-dot" />
          <span className="policy-about">
            <strong>{name}</strong>
            <span className="quiet small">{about}</span>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}
