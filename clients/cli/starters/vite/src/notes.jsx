import { useEffect, useState } from 'react';
import { notes } from './project.js';

export function Notes() {
  const [rows, setRows] = useState([]);
  const [trouble, setTrouble] = useState('');
  /** Does something, and shows the notes as they are then. */
  const after = async (change) => {
    try {
      await change;
      setRows(await notes.list());
      setTrouble('');
    } catch (error) {
      setTrouble(error.message);
    }
  };
  useEffect(() => void after(), []);
  const add = (event) => {
    event.preventDefault();
    void after(notes.add(new FormData(event.currentTarget).get('body')));
    event.currentTarget.reset();
  };
  return (
    <>
      <form onSubmit={add} className="add">
        <input name="body" maxLength={1000} placeholder="A new note" aria-label="A new note" autoComplete="off" required />
        <button type="submit">Add</button>
      </form>
      <p role="alert">{trouble}</p>
      <ul>
        {rows.map(({ id, body }) => (
          <li key={id}>
            <span>{body}</span>
            <button type="button" className="second" onClick={() => after(notes.remove(id))}>
              Delete
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
