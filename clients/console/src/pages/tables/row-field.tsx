import { useId } from 'react';
import { type Cell, type Column, hasDefault, kindOf } from './columns.ts';

interface RowFieldProps {
  readonly column: Column;
  readonly cell: Cell;
  readonly set: (cell: Cell) => void;
  /** An existing row cannot use the column's default. */
  readonly isNew: boolean;
  /** Takes the focus when it is shown. */
  readonly isFirst: boolean;
}

const examples: Readonly<Record<string, string>> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  'timestamp with time zone': '2026-01-31 12:00:00+00',
  'timestamp without time zone': '2026-01-31 12:00:00',
  'time without time zone': '12:00:00',
  interval: '1 day 02:00',
};

/** Labels that replace a value: NULL, or the database's default. */
const names = { null: 'NULL', default: 'Default' } as const;

/** The form field of a column, by its type. */
export function RowField({ column, cell, set, isNew, isFirst }: RowFieldProps) {
  const id = useId();
  const { name, type, nullable, defaultValue } = column;
  const others = [
    ...(nullable ? (['null'] as const) : []),
    ...(isNew && hasDefault(column) ? (['default'] as const) : []),
  ];
  const kind = kindOf(column);
  const isList = kind === 'boolean' || kind === 'choice';
  return (
    <div className="field">
      <label htmlFor={id}>
        {name} <span className="hint">{type}</span>
      </label>
      {isList ? (
        <ListField id={id} column={column} cell={cell} set={set} others={others} isFirst={isFirst} />
      ) : (
        <div className="row-value">
          <Typed id={id} column={column} cell={cell} set={set} isFirst={isFirst} />
          {others.length > 0 && (
            <select
              aria-label={`What ${name} gets`}
              value={cell.from}
              onChange={({ target }) => set({ from: target.value as Cell['from'], text: cell.text })}
            >
              <option value="value">Value</option>
              {others.map((other) => (
                <option key={other} value={other}>
                  {names[other]}
                </option>
              ))}
            </select>
          )}
        </div>
      )}
      {cell.from === 'default' && <span className="hint">{defaultValue ?? 'the next number'}</span>}
    </div>
  );
}

interface TypedProps extends Omit<RowFieldProps, 'isNew'> {
  readonly id: string;
}

/** Typing selects a value instead of NULL or the default. */
function Typed({ id, column, cell, set, isFirst }: TypedProps) {
  const kind = kindOf(column);
  const isValue = cell.from === 'value';
  const shared = {
    id,
    value: isValue ? cell.text : '',
    placeholder: isValue ? examples[column.type.replace(/\(\d+\)/, '')] : names[cell.from as keyof typeof names],
    autoFocus: isFirst,
    spellCheck: kind === 'text',
    autoComplete: 'off',
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      set({ from: 'value', text: target.value }),
  };
  // A single-line input would remove line breaks from the value.
  if (kind === 'text') return <textarea rows={1} {...shared} />;
  if (kind === 'json' || column.type.endsWith(']'))
    return <textarea rows={2} className="code" {...shared} required={isValue} />;
  const isDay = kind === 'date' && /^$|^\d{4}-\d\d-\d\d$/.test(shared.value);
  return (
    <input
      {...shared}
      type={isDay ? 'date' : 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      required={isValue}
    />
  );
}

interface ListFieldProps extends TypedProps {
  readonly others: readonly (keyof typeof names)[];
}

/** A list of the enum's values. NULL and the default are options of the same list. */
function ListField({ id, column: { enumValues }, cell, set, others, isFirst }: ListFieldProps) {
  const values = enumValues ?? ['true', 'false'];
  const chosen = cell.from === 'value' ? (cell.text === '' ? '' : `value ${cell.text}`) : cell.from;
  return (
    <select
      id={id}
      // biome-ignore lint/a11y/noAutofocus: it is the first field of a dialog.
      autoFocus={isFirst}
      value={chosen}
      required
      onChange={({ target: { value } }) =>
        set(
          value.startsWith('value ')
            ? { from: 'value', text: value.slice('value '.length) }
            : { from: value as Cell['from'], text: '' },
        )
      }
    >
      {chosen === '' && <option value="">Choose</option>}
      {values.map((one) => (
        <option key={one} value={`value ${one}`}>
          {one}
        </option>
      ))}
      {others.map((other) => (
        <option key={other} value={other}>
          {names[other]}
        </option>
      ))}
    </select>
  );
}
