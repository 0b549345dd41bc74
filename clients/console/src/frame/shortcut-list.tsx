import { Switch } from '../design/field.tsx';
import { Modal } from '../design/modal.tsx';
import { useStore } from '../store.ts';
import type { NavigationItem } from './sections.ts';
import { commandKey, setSingleKeys, singleKeys } from './shortcuts.ts';

interface ShortcutListProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Pages around the address that have a key. */
  readonly items: readonly NavigationItem[];
}

/** The shortcuts, and the switch that turns single keys off. */
export function ShortcutList({ isOpen, close, items }: ShortcutListProps) {
  const on = useStore(singleKeys);
  return (
    <Modal title="Keyboard shortcuts" isOpen={isOpen} close={close}>
      <dl className="shortcut-list" tabIndex={0}>
        <Row name="Search or run a command" keys={[`${commandKey}K`]} />
        <Row name="Search in the page" keys={['/']} />
        <Row name="These shortcuts" keys={['?']} />
        <Row name="Notifications" keys={['F6']} />
        {items.map(
          ({ name, key }) => key !== undefined && <Row key={name} name={name} keys={['G', key.toUpperCase()]} />,
        )}
      </dl>
      <Switch isSelected={on} onChange={setSingleKeys}>
        Shortcuts of a single key
      </Switch>
    </Modal>
  );
}

function Row({ name, keys }: { readonly name: string; readonly keys: readonly string[] }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
