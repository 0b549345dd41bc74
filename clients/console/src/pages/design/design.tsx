import './samples.css';
import { Page } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useSearch } from '../../search.ts';
import { ButtonSamples } from './button-samples.tsx';
import { DataSamples } from './data-samples.tsx';
import { EditorSamples } from './editor-samples.tsx';
import { FieldSamples } from './field-samples.tsx';
import { FormSamples } from './form-samples.tsx';
import { ListSamples } from './list-samples.tsx';
import { OverlaySamples } from './overlay-samples.tsx';
import { ReadingSamples } from './reading-samples.tsx';
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
          { id: 'type', name: 'Type and color', content: <TypeSamples /> },
          { id: 'buttons', name: 'Buttons', content: <ButtonSamples /> },
          { id: 'fields', name: 'Fields', content: <FieldSamples /> },
          { id: 'forms', name: 'Forms', content: <FormSamples /> },
          { id: 'editors', name: 'Editors', content: <EditorSamples /> },
          { id: 'lists', name: 'Pages and lists', content: <ListSamples /> },
          { id: 'reading', name: 'Notes and texts', content: <ReadingSamples /> },
          { id: 'overlays', name: 'Menus and dialogs', content: <OverlaySamples /> },
          { id: 'data', name: 'Tables and charts', content: <DataSamples /> },
          { id: 'status', name: 'States', content: <StatusSamples /> },
        ]}
      />
    </Page>
  );
}
