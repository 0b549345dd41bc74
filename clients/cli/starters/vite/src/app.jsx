import { useState } from 'react';
import { Notes } from './notes.jsx';
import { signIn } from './project.js';

export function App() {
  const [email, setEmail] = useState();
  return (
    <>
      <header>
        <strong>my-app</strong>
        <span>{email}</span>
      </header>
      <main>
        <h1>Notes of your own</h1>
        {email === undefined ? <Entry onEnter={setEmail} /> : <Notes />}
      </main>
    </>
  );
}

function Entry({ onEnter }) {
  const [trouble, setTrouble] = useState('');
  const submit = async (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(event.currentTarget));
    try {
      await signIn({ email, password, isNew: event.nativeEvent.submitter.value === 'sign-up' });
      onEnter(email);
    } catch (error) {
      setTrouble(error.message);
    }
  };
  return (
    <form onSubmit={submit}>
      <p className="lead">Sign up with any address and a password of twelve characters, or sign in.</p>
      <label>
        Email <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        Password <input name="password" type="password" minLength={12} autoComplete="current-password" required />
      </label>
      <p role="alert">{trouble}</p>
      <button type="submit" value="sign-in">
        Sign in
      </button>
      <button type="submit" value="sign-up" className="second">
        Sign up
      </button>
    </form>
  );
}
