// Posts events as CloudEvents in every content mode, and prints each answer as a line of JSON:
//
//	POSTRIDER_URL=http://127.0.0.1:3000 POSTRIDER_API_KEY=sk_live_… go run .
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/google/uuid"
)

type answer struct {
	Mode   string          `json:"mode"`
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

func createEvent() cloudevents.Event {
	event := cloudevents.NewEvent()
	event.SetID(uuid.NewString())
	event.SetSource("/shops/berlin")
	event.SetType("order.completed")
	event.SetTime(time.Now())
	event.SetSubject("Euro €")
	event.SetExtension("channel", "web")
	data := map[string]any{"amount": 42, "currency": "€"}
	if err := event.SetData(cloudevents.ApplicationJSON, data); err != nil {
		log.Fatal(err)
	}
	return event
}

func post(mode string, request *http.Request, err error) {
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTRIDER_API_KEY"))
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer{mode, response.StatusCode, body}); err != nil {
		log.Fatal(err)
	}
}

func main() {
	url := os.Getenv("POSTRIDER_URL") + "/v1/events"
	event, other := createEvent(), createEvent()

	structured, err := cehttp.NewHTTPRequestFromEvent(binding.WithForceStructured(context.Background()), url, event)
	post("structured", structured, err)

	// The event has the same id and source, so it is recorded once.
	binary, err := cehttp.NewHTTPRequestFromEvent(binding.WithForceBinary(context.Background()), url, event)
	post("binary", binary, err)

	batch, err := cehttp.NewHTTPRequestFromEvents(context.Background(), url+"/batch", []cloudevents.Event{event, other})
	post("batch", batch, err)
}
