import type { ShownEntries } from './shown.ts';

const SPEEDS = [1, 5, 10, 20];

type Props = {
  readonly entries: ShownEntries;
  readonly theme: 'light' | 'dark';
  readonly onTheme: () => void;
  readonly onScenarios: () => void;
  readonly onSpeed: (speed: number) => void;
  readonly onBot: (what: 'kill' | 'start') => void;
};

/** Scenario, speed of time, and the bot's process. */
export function Header({ entries, theme, onTheme, onScenarios, onSpeed, onBot }: Props) {
  const { playground, bot } = entries;
  return (
    <header className="top">
      <h1>
        oombot <span>playground</span>
      </h1>
      <button type="button" className="scenario" onClick={onScenarios} aria-haspopup="dialog">
        <span className="hidden">Scenario: </span>
        {playground.scenario} ▾
      </button>
      <label>
        <span className="wide">time </span>
        <select
          aria-label="Speed of time"
          value={playground.speed}
          onChange={(event) => onSpeed(Number(event.target.value))}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      <span className="bot" role="status">
        <span className={`dot ${bot}`} /> <span className="wide">bot </span>
        {bot}
      </span>
      {bot === 'stopped' ? (
        <button type="button" onClick={() => onBot('start')}>
          Start<span className="wide"> bot</span>
        </button>
      ) : (
        <button type="button" onClick={() => onBot('kill')} title="Ends the process as a power cut does">
          Kill<span className="wide"> bot</span>
        </button>
      )}
      <button
        type="button"
        className="theme"
        onClick={onTheme}
        aria-label={theme === 'dark' ? 'Light colors' : 'Dark colors'}
      >
        {theme === 'dark' ? '☀' : '☾'}
      </button>
    </header>
  );
}

type ScenarioProps = {
  readonly playground: ShownEntries['playground'];
  readonly onChoose: (name: string) => void;
};

/** The incidents to try, one sentence each. */
export function ScenarioList({ playground: { scenario, scenarios }, onChoose }: ScenarioProps) {
  return (
    <ul className="scenarios">
      {scenarios.map(({ name, says }) => (
        <li key={name}>
          <button type="button" aria-current={name === scenario} onClick={() => onChoose(name)}>
            <strong>{name}</strong> {name === scenario && <span className="pill good">running</span>}
            <span>{says}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
