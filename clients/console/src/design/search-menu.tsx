import { Search } from 'lucide-react';
import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { Menu } from 'react-aria-components/Menu';
import { TextField } from 'react-aria-components/TextField';
import { type MenuEntry, type MenuGroup, MenuGroups } from './menu-entries.tsx';

/** An entry that other words than its name find, too. */
export interface SearchedEntry extends MenuEntry {
  readonly words?: string | undefined;
}

export interface SearchedGroup extends Omit<MenuGroup, 'entries'> {
  readonly entries: readonly SearchedEntry[];
}

interface SearchMenuProps {
  readonly label: string;
  readonly groups: readonly SearchedGroup[];
  /** Called with what is typed, where entries depend on it. */
  readonly onSearch?: (text: string) => void;
  /** Called before an entry acts. */
  readonly close: () => void;
}

/** A group shows no more than these; what is typed narrows it. */
const shownMax = 50;

/**
 * A field above a list of entries: what is typed narrows the list, the arrow keys move in it, Enter acts. The focus stays in
 * the field.
 */
export function SearchMenu({ label, groups, onSearch, close }: SearchMenuProps) {
  const [text, setText] = useState('');
  const found = groups
    .map((group) => ({ ...group, entries: searched(group.entries, text).slice(0, shownMax) }))
    .filter(({ entries }) => entries.length > 0);
  const search = (typed: string) => {
    setText(typed);
    onSearch?.(typed);
  };
  return (
    <div className="search-menu">
      <Autocomplete inputValue={text} onInputChange={search}>
        {/* No search field: its Escape would empty it, and here Escape closes. */}
        <TextField aria-label={label} autoFocus className="search-menu-field">
          <Search className="icon" aria-hidden="true" />
          <Input placeholder={label} />
        </TextField>
        <Menu
          className="menu"
          aria-label={label}
          renderEmptyState={() => <p className="search-menu-empty">Nothing is called so.</p>}
        >
          <MenuGroups label={label} groups={found} beforeAct={close} />
        </Menu>
      </Autocomplete>
    </div>
  );
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Entries that contain every typed word. Those whose name begins with the text come first. */
export function searched<Entry extends SearchedEntry>(entries: readonly Entry[], text: string): readonly Entry[] {
  const typed = plain(text.trim());
  if (typed === '') return entries;
  const words = typed.split(/\s+/);
  const rank = ({ name }: Entry) => {
    const at = plain(name).indexOf(typed);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return entries
    .filter(({ name, about = '', words: more = '' }) => {
      const whole = plain(`${name} ${about} ${more}`);
      return words.every((word) => whole.includes(word));
    })
    .sort((one, other) => rank(one) - rank(other));
}
