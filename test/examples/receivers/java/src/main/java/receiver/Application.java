package receiver;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }
}
