import { Select } from '../../design/field.tsx';

interface FilterProps {
  readonly label: string;
  /** Values of an enum of the graph with their names; the empty value is no filter. */
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const every = 'every';

/** A filter in a toolbar. */
export const Filter = ({ label, options, value, onChange }: FilterProps) => (
  <div className="filter">
    <Select
      label={label}
      options={options.map(([id, name]) => ({ id: id === '' ? every : id, name }))}
      value={value === '' ? every : value}
      onChange={(id) => onChange(id === every ? '' : id)}
    />
  </div>
);

/** The value of a filter for a query: undefined where it filters nothing, or the address holds no such value. */
export const chosen = <Value extends string>(
  options: readonly (readonly [value: string, name: string])[],
  value: string,
): Value | undefined => (value !== '' && options.some(([known]) => known === value) ? (value as Value) : undefined);
