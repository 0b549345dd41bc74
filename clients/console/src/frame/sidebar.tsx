import { Server } from 'lucide-react';
import { Skeleton } from '../design/status.tsx';
import { Link, usePath } from '../router.tsx';
import { useSearch } from '../search.ts';
import { installationSection, type NavigationItem, type NavigationSection } from './sections.ts';
import type { Surroundings } from './use-sections.ts';

/** The pages around the address, by section. */
export function Sidebar({ around: { place, sections } }: { readonly around: Surroundings }) {
  const path = usePath();
  const [tab] = useSearch('tab', '');
  const shown = place.kind === 'home' ? [...sections, elsewhereSection] : sections;
  const current = currentOf(
    shown.flatMap(({ items }) => items),
    path,
    tab,
  );
  return (
    <>
      {sections.length === 0 && <Skeleton lines={6} />}
      {shown.map((section, at) => (
        <Section key={section.heading ?? at} section={section} current={current} />
      ))}
    </>
  );
}

/** Ways from the first pages to the installation. */
const elsewhereSection: NavigationSection = {
  items: [
    { ...installationSection.items[0]!, name: 'Installation', icon: Server },
    installationSection.items.find(({ to }) => to === '/audits')!,
  ],
};

interface SectionProps {
  readonly section: NavigationSection;
  readonly current: NavigationItem | undefined;
}

function Section({ section: { heading, items }, current }: SectionProps) {
  return (
    <section className="side-section" aria-label={heading}>
      {heading !== undefined && <h2>{heading}</h2>}
      <ul>
        {items.map((item) => (
          <li key={item.to}>
            <Link to={item.to} aria-current={item === current ? 'page' : undefined}>
              <item.icon className="icon" aria-hidden="true" />
              <span>{item.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The item of an address: its tab, else its page, else the page that it is below. */
const currentOf = (items: readonly NavigationItem[], path: string, tab: string): NavigationItem | undefined =>
  items.find(({ to }) => to === `${path}?tab=${tab}`) ??
  items.find(({ to }) => to === path) ??
  items.find(({ to, holdsBelow }) => holdsBelow === true && path.startsWith(`${to}/`));
