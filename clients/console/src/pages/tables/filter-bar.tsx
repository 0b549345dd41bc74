import { ListFilter, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../design/button.tsx';
import { Select, TextField } from '../../design/field.tsx';
import type { Column } from './columns.ts';
import { type Filter, operators } from './filters.ts';

interface FilterBarProps {
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly set: (filters: readonly Filter[]) => void;
}

/** The conditions that the shown rows meet, each with a button that removes it. */
export function FilterBar({ columns, filters, set }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const textOf = ({ column, operator, value }: Filter) =>
    [column, operators[operator]!.name, operators[operator]!.takes === false ? '' : value].join(' ').trim();
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button small icon={ListFilter}>
          Filter
        </Button>
        <Popover className="popover" placement="bottom start">
          <Dialog aria-label="Add a filter" className="filter-form">
            <FilterForm
              columns={columns}
              add={(filter) => {
                set([...filters, filter]);
                setOpen(false);
              }}
            />
          </Dialog>
        </Popover>
      </DialogTrigger>
      {filters.map((filter, at) => (
        <Button
          // biome-ignore lint/suspicious/noArrayIndexKey: two filters may be alike.
          key={at}
          small
          variant="quiet"
          aria-label={`Remove filter: ${textOf(filter)}`}
          onPress={() => set(filters.filter((_one, index) => index !== at))}
        >
          <span className="filter-text">{textOf(filter)}</span>
          <X className="icon" aria-hidden="true" />
        </Button>
      ))}
    </>
  );
}

function FilterForm({ columns, add }: { readonly columns: readonly Column[]; readonly add: (filter: Filter) => void }) {
  const [name, setName] = useState(columns[0]?.name ?? '');
  const [operator, setOperator] = useState('eq');
  const [value, setValue] = useState('');
  const column = columns.find((one) => one.name === name);
  const fitting = Object.entries(operators).filter(([, { fits }]) => column !== undefined && fits(column));
  const chosen = fitting.some(([id]) => id === operator) ? operator : (fitting[0]?.[0] ?? '');
  const takes = operators[chosen]?.takes !== false;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    add({ column: name, operator: chosen, value: takes ? value : '' });
  };
  return (
    <form className="filter-fields" onSubmit={submit}>
      <Select
        label="Column"
        options={columns.map((one) => ({ id: one.name, name: one.name }))}
        value={name}
        onChange={setName}
        autoFocus
      />
      <Select
        label="Condition"
        options={fitting.map(([id, one]) => ({ id, name: one.name }))}
        value={chosen}
        onChange={setOperator}
      />
      {takes && <TextField label="Value" value={value} onChange={setValue} />}
      <Button type="submit" variant="primary" small>
        Add filter
      </Button>
    </form>
  );
}
