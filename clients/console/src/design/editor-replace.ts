import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Replaces a selection by what is typed over it. The browser would keep the look of the replaced text in a style attribute,
 * which the page's Content-Security-Policy refuses, and complain of that.
 */
export const replaceTyped: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType } = event as InputEvent;
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    if (inputType !== 'insertText' || text === null || empty || view.composing || state.readOnly) return false;
    const insert = () =>
      state.update({ ...state.replaceSelection(text), scrollIntoView: true, userEvent: 'input.type' });
    // Brackets, for example, are put around the selection.
    if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert)))
      view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});
