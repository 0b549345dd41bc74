import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
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

/** Pages of one thing, of which one is shown. */
export function Tabs({ label, pages, selected, select }: TabsProps) {
  return (
    <HeadlessTabs className="tabs" selectedKey={selected} onSelectionChange={(key) => select(String(key))}>
      <TabList className="tab-list" aria-label={label}>
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
