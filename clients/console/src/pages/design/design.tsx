import './samples.css';
import { Tabs } from '../../design/tabs.tsx';
import { Page } from '../../parts/page.tsx';
import { useSearch } from '../../search.ts';
import { ButtonSamples } from './button-samples.tsx';
import { DataSamples } from './data-samples.tsx';
import { FieldSamples } from './field-samples.tsx';
import { OverlaySamples } from './overlay-samples.tsx';
import { StatusSamples } from './status-samples.tsx';
import { TypeSamples } from './type-samples.tsx';

/**
 * Every part of the design in every state, for whoever builds pages and for the test that compares pictures of it. What
 * it shows is made up; it asks the gateway for nothing.
 */
export default function Design() {
  const [selected, select] = useSearch('part', 'type');
  return (
    <Page title="Design" lead="Every part that pages are made of, in every state.">
      <Tabs
        label="Parts"
        selected={selected}
        select={select}
        pages={[
          { id: 'type', name: 'Type and colour', content: <TypeSamples /> },
          { id: 'buttons', name: 'Buttons', content: <ButtonSamples /> },
          { id: 'fields', name: 'Fields', content: <FieldSamples /> },
          { id: 'overlays', name: 'Menus and dialogs', content: <OverlaySamples /> },
          { id: 'data', name: 'Tables and charts', content: <DataSamples /> },
          { id: 'status', name: 'States', content: <StatusSamples /> },
        ]}
      />
    </Page>
  );
}
