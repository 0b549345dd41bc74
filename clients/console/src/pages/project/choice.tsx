import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';

interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly options: readonly (readonly [id: Id, name: string])[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

/** A choice of one among a few short names, all of which show. */
export function Choice<Id extends string>({ label, options, value, onChange }: ChoiceProps<Id>) {
  return (
    <ToggleButtonGroup
      className="few"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={([id]) => onChange(id as Id)}
    >
      {options.map(([id, name]) => (
        <ToggleButton key={id} id={id} className="few-one">
          {name}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
