import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Tabs as HeadlessTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';

export interface TabPage {
  readonly id: string;
  readonly name: string;
  readonly icon?: LucideIcon;
  readonly isDisabled?: boolean;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly pages: readonly TabPage[];
  /** The page that is shown. Keep it in the address, so that it can be linked to and the back button returns to it. */
  readonly selected: string;
  readonly select: (id: string) => void;
}

/** Pages of one thing, of which one is shown: the first one where there is none of the selected id. */
export function Tabs({ label, pages, selected, select }: TabsProps) {
  const shown = pages.some(({ id }) => id === selected) ? selected : (pages[0]?.id ?? selected);
  const list = useRef<HTMLDivElement>(null);
  // Where tabs have no room beside each other, the one that is shown comes into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked for among the tabs each time another is shown.
  useEffect(() => {
    const row = list.current;
    if (row === null) return;
    const observer = new ResizeObserver(() => {
      const tab = row.querySelector('[data-selected]');
      if (tab === null) return;
      const frame = row.getBoundingClientRect();
      const { left, right } = tab.getBoundingClientRect();
      if (left < frame.left || right > frame.right)
        row.scrollLeft += left - frame.left - (frame.width - (right - left)) / 2;
    });
    observer.observe(row);
    return () => observer.disconnect();
  }, [shown]);
  return (
    <HeadlessTabs className="tabs" selectedKey={shown} onSelectionChange={(key) => select(String(key))}>
      <TabList ref={list} className="tab-list" aria-label={label}>
        {pages.map(({ id, name, icon: Icon, isDisabled = false }) => (
          <Tab key={id} id={id} isDisabled={isDisabled} className="tab">
            {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
            {name}
          </Tab>
        ))}
      </TabList>
      {pages.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </HeadlessTabs>
  );
}
